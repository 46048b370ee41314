/** Any command line that nobody knows: terminal servers, consoles, systems without a platform of their own. */
import type { PlatformPlugin } from "../../src/plugin/index.ts";

export default {
  api: 1,
  kind: "platform",
  name: "generic",
  aliases: ["generic_termserver", "terminal_server"],
  levels: {
    // No levels are told apart, and nothing is prepared.
    any: { prompt: /[\w.\-@()/:~ [\]{}*+,]{0,120}[\w.\-@)/:~\]}]? ?[>#$%\]] ?/, example: "R1> " },
  },
  home: "any",
  errors: [],
  pager: { prompt: /-+ ?\(?more(?: \d+%)?\)? ?-+/i, press: " " },
  simulated: { rename: null },
} satisfies PlatformPlugin;
