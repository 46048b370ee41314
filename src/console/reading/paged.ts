/** Loads a list page by page: the first ones with the view, the next ones on request. */
import { useMemo, useState } from "preact/hooks";
import * as v from "valibot";
import { type Page, page } from "./api.ts";
import { useLoad } from "./load.ts";

export interface Paged<T> {
  /** Of all pages fetched so far; undefined until the first one is there. */
  readonly rows: readonly T[] | undefined;
  /** Of the first page. */
  readonly error: unknown;
  /** Whether the first page, or the one that follows by itself, is still to come. */
  readonly loading: boolean;
  /** Number of all matches, if the list reports it. */
  readonly total: number | undefined;
  /** Adds the next page; undefined: there is none. */
  readonly fetchMore: (() => Promise<void>) | undefined;
  /** Reads the first page again and keeps the others. */
  reload(): void;
  /** Begins again with the first page. */
  restart(): void;
}

/**
 * Further pages of another path are not shown.
 * @param path with a query string
 * @param dependsOn what makes the first page be read again
 * @param early rows that are asked for first, where it may take time to find them: the next page follows by itself
 */
export function usePaged<T>(
  row: v.GenericSchema<unknown, T>,
  path: string,
  dependsOn: readonly unknown[] = [],
  early?: number,
): Paged<T> {
  const list = v.array(row);
  const begin = early === undefined ? path : `${path}&limit=${early}`;
  const first = useLoad((signal) => page(list, begin, { signal }), [path, ...dependsOn]);
  const [more, setMore] = useState<{ readonly of: string; readonly page: Page<T[]> }>();
  const further = more?.of === path ? more.page : undefined;
  const next = (further ?? first.data)?.next;
  const fetchMore = async (signal?: AbortSignal) => {
    const fetched = await page(list, `${path}&cursor=${encodeURIComponent(next ?? "")}`, { signal });
    setMore({ of: path, page: { ...fetched, data: [...(further?.data ?? []), ...fetched.data] } });
  };
  const follows = early !== undefined && next !== undefined && further === undefined;
  const followed = useLoad(async (signal) => follows && (await fetchMore(signal)), [path, follows]);
  const rows = useMemo(
    () => first.data && [...first.data.data, ...(further?.data ?? [])],
    [first.data, further],
  );
  return {
    rows,
    error: first.error ?? followed.error,
    loading: first.loading || followed.loading,
    total: first.data?.total,
    fetchMore: next === undefined ? undefined : () => fetchMore(),
    reload: first.reload,
    restart() {
      setMore(undefined);
      first.reload();
    },
  };
}

export interface Fresh<T> {
  readonly rows: readonly T[] | undefined;
  readonly error: unknown;
  /** Shows another page; undefined: there is none. */
  readonly more: (() => void) | undefined;
}

/**
 * A list whose rows change: every page that is shown is read again.
 * @param path with a query string
 * @param pages that are shown at first
 */
export function useFresh<T>(
  row: v.GenericSchema<unknown, T>,
  path: string,
  dependsOn: readonly unknown[],
  pages = 1,
): Fresh<T> {
  const list = v.array(row);
  const [shown, setShown] = useState({ path, pages });
  const room = shown.path === path ? shown.pages : pages;
  const { data, error } = useLoad(
    async (signal) => {
      const rows: T[] = [];
      let cursor = "";
      for (let at = 0; at < room; at++) {
        const fetched = await page(list, `${path}${cursor}`, { signal });
        rows.push(...fetched.data);
        if (fetched.next === undefined) return { path, rows, more: false };
        cursor = `&cursor=${encodeURIComponent(fetched.next)}`;
      }
      return { path, rows, more: true };
    },
    [path, room, ...dependsOn],
  );
  const current = data?.path === path ? data : undefined;
  return {
    rows: current?.rows,
    error,
    more: current?.more ? () => setShown({ path, pages: room + 1 }) : undefined,
  };
}
