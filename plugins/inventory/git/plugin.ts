/** Source `git`: files of a Git repository. */
import { defineInventorySource } from "patchbay/plugin";
import { options } from "./options.ts";

export default defineInventorySource({
  name: "git",
  schemes: ["https:", "ssh:", "file:"],
  gives: "text",
  options,
  load: () => import("./fetch.ts"),
});
