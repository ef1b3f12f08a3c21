/** Deeper than anything that repositories have: five. */
export const maxDepth = 32

export const maxAttributes = 64

export const maxAttributeChars = 64 * 1024

/** A whole tag, comment, processing instruction or CDATA section, which is looked at in one piece. */
export const maxMarkupChars = 1024 * 1024

/** The text of one element. */
export const maxTextChars = 16 * 1024 * 1024

/** One child of the root, as it is written. */
export const maxRecordChars = 16 * 1024 * 1024

/** Elements of one child of the root that are given as objects. */
export const maxElements = 200_000
