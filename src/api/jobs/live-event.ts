/** What clients that watch a job see of its device while the job runs. */
export type LiveEvent =
  /** New output, with secrets masked and without control characters. */
  { readonly kind: "output"; readonly text: string } | LiveStatus;

/** Events of which only the last of each kind matters. */
export type LiveStatus =
  /** File transfer progress in bytes. */
  { readonly kind: "progress"; readonly done: number; readonly total: number };
