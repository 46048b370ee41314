/** Format `csv`: a table of devices, for spreadsheets. */
import { defineInventoryFormat } from "patchbay/plugin";

export default defineInventoryFormat({
  name: "csv",
  exports: { type: "text/csv", name: "inventory.csv" },
  load: () => import("./csv.ts"),
});
