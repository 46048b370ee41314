/** Reads pages of jobs visible to a caller, newest first. */
import type { Caller } from "../auth/port.ts";
import { maySeeJob } from "../auth/reach.ts";
import { abortReason, neverAborted } from "../base/deadline.ts";
import type { Admission } from "../queue/port.ts";
import type { JobConditions, JobParts, ListedHead, Store } from "../store/port.ts";

interface Asked {
  readonly conditions: JobConditions;
  readonly parts: JobParts | undefined;
  readonly fits: (job: { readonly host: string }) => boolean;
  readonly beforeSeq: number | undefined;
  /** Size of the first page. */
  readonly first: number;
  /** Whether to prefetch the next page. */
  readonly ahead: boolean;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal | undefined;
}

interface Tools {
  readonly store: Pick<Store, "jobs" | "shared">;
  readonly admission: Pick<Admission, "heavyWork">;
}

export const pageSize = 400;

/**
 * Invisible jobs have to be scanned as well. After a page with few visible jobs, the next pages are read without sealed
 * columns, one scan at a time for all keys, and yield to the event loop in between.
 */
export function createVisiblePages({ store, admission }: Tools) {
  return async function* seenPages(asked: Asked, caller: Caller): AsyncGenerator<ListedHead[]> {
    const { conditions, parts, fits, signal = neverAborted } = asked;
    const isSeen = ({ head }: ListedHead) => maySeeJob(caller, head) && fits(head);
    const heads = (beforeSeq: number | undefined) =>
      admission.heavyWork.run(caller.keyId, neverAborted, async () => {
        const found = await store.jobs.heads({ ...conditions, beforeSeq }, pageSize);
        return found.map((head): ListedHead => ({ head, job: undefined }));
      });
    const read = (beforeSeq: number | undefined, most: number) =>
      store.jobs.listed({ ...conditions, beforeSeq }, most, parts);

    let most = asked.first;
    /** Whether the response has started. */
    let isBegun = false;
    let rows = await read(asked.beforeSeq, most);
    for (;;) {
      const seen = rows.filter(isSeen);
      const last = rows.length < most ? undefined : rows.at(-1)?.head.seq;
      const isSparse = seen.length * 2 < rows.length;
      most = pageSize;
      // Prefetch from a server while this page is sent; reading a file would only block the event loop.
      const reading =
        last !== undefined && asked.ahead && store.shared && !isSparse ? read(last, most) : undefined;
      reading?.catch(() => {});
      if (seen.length > 0) {
        isBegun = true;
        yield seen;
      }
      if (last === undefined) return;
      if (signal.aborted && isBegun) return;
      if (signal.aborted) throw abortReason(signal);
      rows = await (reading ?? (isSparse ? heads(last) : read(last, most)));
    }
  };
}
