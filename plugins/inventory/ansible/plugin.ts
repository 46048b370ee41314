/** Format `ansible`: an Ansible inventory, INI or YAML, with its vars files. */
import { defineInventoryFormat } from "patchbay/plugin";

export default defineInventoryFormat({
  name: "ansible",
  exports: { type: "application/yaml", name: "hosts.yaml" },
  load: () => import("./ansible.ts"),
});
