/** The native libSQL library, compressed; the build of the binary puts its path here. From source there is none. */
export interface NativeFile {
  readonly path: string;
  /** Of the uncompressed library. */
  readonly sha256: string;
}

export const nativeFile: NativeFile | undefined = undefined;
