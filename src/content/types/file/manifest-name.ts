export const manifestName = 'PULP_MANIFEST'
