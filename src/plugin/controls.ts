/** The control characters that may be sent to a device of a platform: the same for every source of a line. */
import type { PlatformPlugin } from "./platform.ts";

/** What most line editors take for themselves; a platform declares what differs. */
export const usualKeys: Readonly<Record<string, string | null>> = { "?": null, "\t": null };

/** Those of its dialogues, and the keys that make others text. */
export function controlsOf({
  controls = "",
  keys = usualKeys,
}: Pick<PlatformPlugin, "controls" | "keys">): string {
  return (
    controls +
    Object.values(keys)
      .join("")
      .replace(/[^\x00-\x08\x0a-\x1f\x7f]/g, "")
  );
}
