/** Source `netbox`: devices or virtual machines of NetBox. */
import { defineInventorySource } from "patchbay/plugin";
import { options } from "./options.ts";

export default defineInventorySource({
  name: "netbox",
  schemes: ["http:", "https:"],
  gives: "devices",
  options,
  load: () => import("./fetch.ts"),
});
