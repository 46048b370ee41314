/** `__FACTS__`: the platform's own version query, for callers who do not know the platform. */
import type { Detection } from "patchbay/plugin";

export const factsMarker = "__FACTS__";

/** The command that identifies the platform also shows its version. */
export function factsCommand([first]: readonly Detection[] = []): string {
  return first?.send ?? "show version";
}
