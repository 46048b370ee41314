/** Format `oxidized`: the router.db of Oxidized. */
import { defineInventoryFormat } from "patchbay/plugin";

export default defineInventoryFormat({
  name: "oxidized",
  exports: { type: "text/plain", name: "router.db" },
  load: () => import("./router-db.ts"),
});
