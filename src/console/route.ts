/** Hash router: path and parameters after `#`, so that every view has a URL. */
import { to } from "./address.ts";
import { shared } from "./reading/shared.ts";

export { to };

export interface Place {
  /** Path segments: `#/job/1` is `["job", "1"]`. */
  readonly steps: readonly string[];
  readonly query: URLSearchParams;
}

export const place = shared(placeOf(location.hash));
addEventListener("hashchange", look);

function look(): void {
  place.value = placeOf(location.hash);
}

function placeOf(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  return { steps: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

export function go(steps: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): void {
  location.hash = to(steps, query);
}

/** Changes the parameters of the current view; replaces the history entry instead of adding one per keystroke. */
export function refine(query: Readonly<Record<string, string | undefined>>): void {
  const merged = { ...Object.fromEntries(place.value.query), ...query };
  history.replaceState(history.state, "", to(place.value.steps, merged));
  look();
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
