/**
 * A new database with its schema, as the bytes of a file: the build puts it here, so that the first start of the binary
 * writes one file in place of a database in fourteen steps. From source there is none.
 */
export const blankDatabase: (() => Uint8Array) | undefined = undefined;
