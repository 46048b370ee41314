/** Format `nornir`: the files of Nornir's SimpleInventory. */
import { defineInventoryFormat } from "patchbay/plugin";

export default defineInventoryFormat({
  name: "nornir",
  exports: { type: "application/json", name: "nornir.json" },
  load: () => import("./simple-inventory.ts"),
});
