/** The release line of GNS3 whose interface this is; its clients compare it with their own. */
export const compatibleVersion = '2.2.33.1'
