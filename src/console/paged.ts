/** Loads a list page by page: the first one with the view, the next ones on request. */
import { useMemo, useState } from "preact/hooks";
import * as v from "valibot";
import { type Page, page } from "./api.ts";
import { useLoad } from "./load.ts";

export interface Paged<T> {
  /** Of all pages fetched so far; undefined until the first one is there. */
  readonly rows: readonly T[] | undefined;
  /** Of the first page. */
  readonly error: unknown;
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
 */
export function usePaged<T>(
  row: v.GenericSchema<unknown, T>,
  path: string,
  dependsOn: readonly unknown[] = [],
): Paged<T> {
  const list = v.array(row);
  const first = useLoad((signal) => page(list, path, { signal }), [path, ...dependsOn]);
  const [more, setMore] = useState<{ readonly of: string; readonly page: Page<T[]> }>();
  const further = more?.of === path ? more.page : undefined;
  const next = (further ?? first.data)?.next;
  const fetchMore = async () => {
    const fetched = await page(list, `${path}&cursor=${encodeURIComponent(next ?? "")}`);
    setMore({ of: path, page: { ...fetched, data: [...(further?.data ?? []), ...fetched.data] } });
  };
  const rows = useMemo(
    () => first.data && [...first.data.data, ...(further?.data ?? [])],
    [first.data, further],
  );
  return {
    rows,
    error: first.error,
    total: first.data?.total,
    fetchMore: next === undefined ? undefined : fetchMore,
    reload: first.reload,
    restart() {
      setMore(undefined);
      first.reload();
    },
  };
}
