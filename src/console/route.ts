/** Hash router: path and parameters after `#`, so that every view has a URL. */
import { computed, signal } from "@preact/signals";
import { to } from "./address.ts";

export { to };

const hash = signal(location.hash);
addEventListener("hashchange", () => {
  hash.value = location.hash;
});

export interface Place {
  /** Path segments: `#/job/1` is `["job", "1"]`. */
  readonly steps: readonly string[];
  readonly query: URLSearchParams;
}

export const place = computed<Place>(() => {
  const [path = "", query = ""] = hash.value.replace(/^#\/?/, "").split("?");
  return { steps: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
});

export function go(steps: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): void {
  location.hash = to(steps, query);
}

/** Changes the parameters of the current view; replaces the history entry instead of adding one per keystroke. */
export function refine(query: Readonly<Record<string, string | undefined>>): void {
  const merged = { ...Object.fromEntries(place.value.query), ...query };
  history.replaceState(null, "", to(place.value.steps, merged));
  hash.value = location.hash;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
