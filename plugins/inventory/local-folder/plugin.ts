/** Source `local_folder`: files below the template roots. */
import { defineInventorySource } from "patchbay/plugin";

export default defineInventorySource({
  name: "local_folder",
  schemes: ["file:"],
  gives: "text",
  load: () => import("./fetch.ts"),
});
