/** Cisco TelePresence and Webex codecs (TC and CE software), through their xAPI. */
import type { PlatformPlugin } from "patchbay/plugin";

export default {
  api: 1,
  kind: "platform",
  name: "cisco_tp",
  levels: { api: { prompt: /OK|ERROR|Command not recognized\./, example: "OK\r\n\r\n" } },
  home: "api",
  endsWithLine: true,
  prepare: ["xPreferences outputmode terminal"],
  goodbye: ["bye"],
  errors: [
    /^(?:ERROR|Command not recognized\.)\s*$/m,
    /^No match on [^\n]{1,120}$/m,
    /^\*[re] [^\n]{1,200}\(status=(?:Parameter)?Error\)/m,
  ],
  newline: "\r\n",
  // `xConfiguration …` takes effect and persists.
  save: [],
  simulated: {
    refusal: "No match on address expression",
    rename: "xConfiguration SystemUnit Name: {name}",
  },
  unsure: ["wording of refusals other than ERROR", "that changes persist without a save"],
} satisfies PlatformPlugin;
