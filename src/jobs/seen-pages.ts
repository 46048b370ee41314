/** Pages of jobs as a caller may see them, newest first. */
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
  /** Rows of the first page. */
  readonly first: number;
  /** The next page is sure to be asked for. */
  readonly ahead: boolean;
  /** The caller has gone. */
  readonly signal: AbortSignal | undefined;
}

interface Tools {
  readonly store: Pick<Store, "jobs" | "shared">;
  readonly admission: Pick<Admission, "heavyWork">;
}

export const pageSize = 400;

/**
 * What a caller may not see is looked through as well, and may be all there is. After a page of which little was seen
 * the next ones are read without what is sealed, one after the other for all keys, and let others pass in between: a
 * database file answers before anything else runs.
 */
export function createSeenPages({ store, admission }: Tools) {
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
    /** Its answer has begun: who does not read on is told nothing more. */
    let isBegun = false;
    let rows = await read(asked.beforeSeq, most);
    for (;;) {
      const seen = rows.filter(isSeen);
      const last = rows.length < most ? undefined : rows.at(-1)?.head.seq;
      const isSparse = seen.length * 2 < rows.length;
      most = pageSize;
      // A server makes the next page ready while this one leaves; a file would only stop the loop for it.
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
