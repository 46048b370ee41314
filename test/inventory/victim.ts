/** A process to be killed by its test: repeatedly rewrites the whole inventory, each time with another marker. */
import process from "node:process";
import { openStore } from "../store/support.ts";
import { admin, inventoryOn } from "./make.ts";

const [directory = "", url = "", count = "0"] = process.argv.slice(2);
const store = await openStore({ directory, ...(url === "" ? {} : { url }) });
const inventory = inventoryOn(store);

for (let round = 0; ; round++) {
  const site = `${process.pid}-${round}`;
  const devices = Array.from({ length: Number(count) }, (_, at) => ({ name: `d${at}`, site }));
  await inventory.apply({ groups: [{ name: "g", site }], devices }, {}, admin);
  process.stdout.write(`done ${site}\n`);
}
