/** The native part of libSQL inside the compiled binary: the build puts its path here. From source there is none. */
export const nativeFile: string | undefined = undefined;
