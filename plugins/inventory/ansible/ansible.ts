/** Reads and writes Ansible inventories. */
import type { InventoryFormat, InventoryFormatKit } from "patchbay/plugin";
import { joinedFiles } from "./files.ts";
import { readAnsible } from "./read.ts";
import { ansiblePieces } from "./write.ts";

export default ({ readYaml, writeYaml }: InventoryFormatKit): InventoryFormat => ({
  read: (text) => readAnsible(text, readYaml),
  write: (inventory) => ansiblePieces(inventory, writeYaml),
  join: joinedFiles,
});
