/** A careless plugin changes the objects of the language, beside the work of another key. */
import * as v from "valibot";
import { type Attack, flood, tally } from "../attack.ts";
import { changes } from "../driver.ts";
import { job } from "../service.ts";

const parsed = v.object({ data: v.unknown() });
const template = "Value PORT (\\S+)\n\nStart\n  ^port ${PORT} -> Record\n";
const answer = JSON.stringify([{ PORT: "ge-0" }, { PORT: "ge-1" }]);

export const plugins: readonly Attack[] = [
  {
    name: "intrinsics",
    about: "jobs whose driver changes Object.prototype, Map, JSON and others, beside parses and jobs",
    async run({ attacker, other }, size) {
      const breaches = new Set<string>();
      const attack = flood(Math.max(20, Math.round(400 * size)), 8, async (at) => {
        const request = {
          ...job(`m${at % 20}`, changes[at % changes.length] ?? ""),
          driver: "meddler",
        };
        return (await attacker.call("POST", "/device/execute", request, { Prefer: "wait=10" })).status;
      });
      const statuses: number[] = [];
      const works = Array.from({ length: Math.max(10, Math.round(100 * size)) });
      for (const [at] of works.entries()) {
        const context = "port ge-0\nport ge-1\n";
        const parse = await other.call("POST", "/template/parse/textfsm", { template, context });
        statuses.push(parse.status);
        if (parse.status !== 200) breaches.add(`a parse was answered ${parse.status}`);
        else if (JSON.stringify(v.parse(parsed, JSON.parse(parse.text)).data) !== answer)
          breaches.add(`a parse was answered with wrong data: ${parse.text.slice(0, 200)}`);
        const done = await other.call("POST", "/device/execute", job(`o${at % 20}`, "show"), {
          Prefer: "wait=20",
        });
        if (!/"status":"finished"/.test(done.text) || !/"show":"ok"/.test(done.text))
          breaches.add(`a job of another key: ${done.status} ${done.text.slice(0, 300)}`);
      }
      return { figures: { ...(await attack), ...tally(statuses) }, breaches: [...breaches] };
    },
  },
];
