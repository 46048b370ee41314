/** Format `netpulse`: the device table of the NetPulse CLI, for imports. */
import { defineInventoryFormat } from "patchbay/plugin";

export default defineInventoryFormat({ name: "netpulse", load: () => import("./table.ts") });
