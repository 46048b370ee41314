/**
 * The image of a new database with its schema. The build fills it in, so that the first start of the binary writes one
 * file instead of running fourteen migrations. Undefined when running from source.
 */
export const blankDatabase: (() => Uint8Array) | undefined = undefined;
