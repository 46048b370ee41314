/** A bulk and its devices, kept up to date by events. */
import { useEffect, useRef, useState } from "preact/hooks";
import * as v from "valibot";
import { byName } from "../../names.ts";
import { ask, page } from "../../reading/api.ts";
import { batched, type Change, changeOf, useEvents } from "../../reading/live.ts";
import { useLoad } from "../../reading/load.ts";
import { type Bulk, bulk, type JobRow, jobRow, jobRowFields, placeOf } from "../../shapes/shapes.ts";
import { createRecent, withChanges } from "./job-changes.ts";

const perPage = 500;

export function useWatchedBulk(id: string) {
  const path = `/bulk/${encodeURIComponent(id)}`;
  const { data, error, reload } = useLoad((signal) => ask(bulk, path, { signal }), [id]);
  const [live, setLive] = useState<Bulk>();
  const { rows, change, read } = useDevices(id);
  useEvents(
    `${path}/events`,
    {
      state: (event) => change(changeOf(event)),
      bulk: (event) => {
        const read = v.safeParse(bulk, event);
        if (read.success) setLive(read.output);
      },
      reset: read,
      slow: read,
      end: () => {
        reload();
        read();
      },
    },
    (name) => name === "end",
    read,
  );
  return { bulk: data?.status === "running" ? { ...data, ...live } : data, rows, error, reload };
}

/** All devices of the bulk, with later state changes applied. */
function useDevices(id: string) {
  const [rows, setRows] = useState<readonly JobRow[]>([]);
  const waiting = useRef<Change[]>([]);
  const recent = useRef(createRecent());
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    const fetchAll = async (cursor: string | undefined, before: readonly JobRow[]) => {
      const search = `bulk_id=${encodeURIComponent(id)}&limit=${perPage}&include_result=false&fields=${jobRowFields}`;
      const path = `/job?${search}${cursor === undefined ? "" : `&cursor=${cursor}`}`;
      const fetched = await page(v.array(jobRow), path, { signal: leaving.signal });
      const allRows = [...before, ...fetched.data];
      const isFirst = cursor === undefined && turn === 0;
      // The first ones until all are there; what is shown already stays until all are read again.
      if (fetched.next === undefined || isFirst)
        setRows(recent.current.over(allRows.toSorted((a, b) => byName(placeOf(a), placeOf(b)))));
      if (fetched.next !== undefined) await fetchAll(fetched.next, allRows);
    };
    // Errors are already shown for the bulk itself.
    fetchAll(undefined, []).catch(() => {});
    return () => leaving.abort();
  }, [id, turn]);
  const change = (entry: Change) => {
    if (waiting.current.push(entry) > 1) return;
    batched(() => {
      const changes = waiting.current.splice(0);
      recent.current.note(changes);
      setRows((before) => withChanges(before, changes, () => false).changed);
    });
  };
  return { rows, change, read: () => setTurn((before) => before + 1) };
}
