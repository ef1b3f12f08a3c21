/** The release of Foreman that clients are told: for older ones they work around faults that this server has not. */
export const foremanVersion = '3.8.0'

/** The release of Katello whose content API this is. */
export const katelloVersion = '4.2.0'
