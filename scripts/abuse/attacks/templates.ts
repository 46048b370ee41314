/** Attacks on the template processes: long computations, large output, infinite templates. */
import { type Attack, flood, pause } from "../attack.ts";
import { head, openRaw } from "../raw.ts";

const slow = "{% for i in range(100000) %}{% for j in range(1000) %}{{ loop.index }}{% endfor %}{% endfor %}";
const large = "{% for i in range(3000) %}{{ a }}{% endfor %}";

export const templates: readonly Attack[] = [
  {
    name: "renders",
    about: "30 concurrent renders of seconds of CPU time, repeatedly",
    async run({ attacker }, size) {
      const statuses = await flood(
        Math.max(8, Math.round(120 * size)),
        30,
        async () =>
          (
            await attacker.call("POST", "/template/render", {
              template: slow,
              context: {},
              timeout: 1 + 2 * size,
            })
          ).status,
      );
      return { figures: statuses };
    },
  },
  {
    name: "unread-renders",
    about: "renders of 3 MB whose responses are not read",
    async run({ port, attacker }, size) {
      const body = JSON.stringify({ template: large, context: { a: "x".repeat(1_000) } });
      const headers = {
        "X-API-KEY": attacker.key,
        "Content-Type": "application/json",
        "Content-Length": String(body.length),
      };
      const text = head("POST", "/template/render", headers) + body;
      const readers = Array.from({ length: Math.round(20 + 300 * size) }, () => openRaw(text, { port }));
      await pause(2_000 + 15_000 * size);
      const open = readers.filter((one) => !one.closed()).length;
      for (const one of readers) one.end();
      return { figures: { readers: readers.length, open } };
    },
  },
  {
    name: "many-templates",
    about: "thousands of different templates of 50 KB",
    async run({ attacker }, size) {
      const text = "{% if a %}{{ a }}{% endif %}\n".repeat(1_700);
      const statuses = await flood(Math.round(3_000 * size), 8, async (at) => {
        const body = { template: `${at}${text}`, context: { a: 1 } };
        return (await attacker.call("POST", "/template/render", body)).status;
      });
      return { figures: statuses };
    },
  },
];
