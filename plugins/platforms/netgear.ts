/** Netgear ProSafe managed switches (M4100, M4300, M5300). */
import type { PlatformPlugin } from "patchbay/plugin";
import { fastpath } from "./family/fastpath.ts";

export default {
  ...fastpath,
  name: "netgear_prosafe",
  detect: [{ send: "show version", says: /ProSAFE/i }],
  newline: "\r",
  save: [{ send: "write memory confirm", failed: /^\s*%|fail|could not|not saved/im }],
  unsure: ["answer to a wrong enable password"],
} satisfies PlatformPlugin;
