/** `__FACTS__`: a query in the platform's own words for what it is, for callers who do not know which platform that is. */
import type { Detection } from "patchbay/plugin";

export const factsMarker = "__FACTS__";

/** What tells the platform from others tells its version, too. */
export function factsCommand([first]: readonly Detection[] = []): string {
  return first?.send ?? "show version";
}
