/** The native part of libSQL inside the compiled binary, packed: the build puts its path here. From source there is none. */
export interface NativeFile {
  readonly path: string;
  /** Of what it holds, unpacked. */
  readonly sha256: string;
}

export const nativeFile: NativeFile | undefined = undefined;
