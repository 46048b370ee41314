/** Reads pages of jobs visible to a caller, newest first. */
import type { Caller } from "../auth/port.ts";
import { maySeeJob } from "../auth/reach.ts";
import { abortReason, neverAborted } from "../base/time/deadline.ts";
import { giveWay } from "../base/time/yield.ts";
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
}

export const pageSize = 400;

/**
 * Invisible jobs have to be scanned as well. After a page with few visible jobs, the next pages are read without sealed
 * columns, and give way in between.
 */
export function createVisiblePages({ store }: Tools) {
  return async function* seenPages(request: Asked, caller: Caller): AsyncGenerator<ListedHead[]> {
    const { conditions, parts, fits, signal = neverAborted } = request;
    const isSeen = ({ head }: ListedHead) => maySeeJob(caller, head) && fits(head);
    const heads = async (beforeSeq: number | undefined) => {
      await giveWay(caller.keyId);
      const page = await store.jobs.heads({ ...conditions, beforeSeq }, pageSize);
      return page.map((head): ListedHead => ({ head, job: undefined }));
    };
    const read = (beforeSeq: number | undefined, limit: number) =>
      store.jobs.listed({ ...conditions, beforeSeq }, limit, parts);

    let limit = request.first;
    /** Whether the response has started. */
    let isBegun = false;
    let rows = await read(request.beforeSeq, limit);
    for (;;) {
      const visible = rows.filter(isSeen);
      const last = rows.length < limit ? undefined : rows.at(-1)?.head.seq;
      const isSparse = visible.length * 2 < rows.length;
      limit = pageSize;
      // Prefetch from a server while this page is sent; reading a file would only block the event loop.
      const reading =
        last !== undefined && request.ahead && store.shared && !isSparse ? read(last, limit) : undefined;
      reading?.catch(() => {});
      if (visible.length > 0) {
        isBegun = true;
        yield visible;
      }
      if (last === undefined) return;
      if (signal.aborted && isBegun) return;
      if (signal.aborted) throw abortReason(signal);
      rows = await (reading ?? (isSparse ? heads(last) : read(last, limit)));
    }
  };
}
