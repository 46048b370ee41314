/** Attacks on request parsing: incomplete bodies, deep and wide JSON, thousands of wrong keys. */
import { type Attack, flood, pause } from "../attack.ts";
import { head, openRaw, type Raw } from "../raw.ts";
import { job } from "../service.ts";

const MiB = 1024 * 1024;

export const bodies: readonly Attack[] = [
  {
    name: "half-bodies",
    about:
      "thousands of connections that announce 16 MiB and send only part of it, with valid and invalid keys",
    async run({ port, attacker }, size) {
      const part = "x".repeat(256 * 1024);
      const connections: Raw[] = [];
      for (let at = 0; at < 4_000 * size; at++) {
        const key = at % 2 === 0 ? attacker.key : `wrong-${at}`;
        const headers = {
          "X-API-KEY": key,
          "Content-Type": "application/json",
          "Content-Length": String(16 * MiB),
        };
        const text = `${head("POST", "/device/execute", headers)}{"a":"${part}`;
        // Wrong keys come from another address, so that the lockout affects nobody else.
        connections.push(
          openRaw(text, { port, ...(at % 2 === 0 ? {} : { from: `127.0.9.${1 + (at % 200)}` }) }),
        );
        if (at % 100 === 99) await pause(20);
      }
      await pause(1_000 + 14_000 * size);
      const open = connections.filter((one) => !one.closed()).length;
      for (const one of connections) one.end();
      return { figures: { connections: connections.length, open } };
    },
  },
  {
    name: "wide-json",
    about: "bodies of 15 MB that take hundreds of megabytes once parsed",
    async run({ attacker }, size) {
      const fill = (piece: string) => `{"a":[${`${piece},`.repeat((15 * MiB) / (piece.length + 1))}0]}`;
      const texts = [
        fill("{}"),
        fill("[]"),
        fill("0"),
        fill('""'),
        `{"a":${"[".repeat(5_000_000)}${"]".repeat(5_000_000)}}`,
        `{"a":"${"\\u0041".repeat(2_000_000)}"}`,
        JSON.stringify({
          ...job("x", "show"),
          driver_args: { a: Array.from({ length: 390_000 }, () => ({})) },
        }),
      ];
      const headers = { "Content-Type": "application/json" };
      const paths = ["/device/execute", "/device/bulk", "/template/render", "/device/test-connection"];
      const statuses = await flood(
        Math.round(14 + 60 * size),
        12,
        async (at) =>
          (await attacker.call("POST", paths[at % 4] ?? "", texts[at % texts.length], headers)).status,
      );
      return { figures: statuses };
    },
  },
  {
    name: "wrong-keys",
    about: "thousands of concurrent wrong keys, from many addresses and from that of the other key",
    async run({ port, url }, size) {
      const count = Math.round(20_000 * size);
      const statuses = await flood(count, 200, async (at) => {
        const answer = await fetch(`${url}/job`, {
          headers: { "X-API-KEY": `wrong-${at}-${Math.random()}` },
        });
        await answer.arrayBuffer();
        return answer.status;
      });
      const afar = Array.from({ length: 200 }, (_, at) =>
        openRaw(head("GET", "/job", { "X-API-KEY": `guess-${at}` }), {
          port,
          from: `127.0.8.${1 + at}`,
          read: true,
        }),
      );
      await pause(1_000);
      for (const one of afar) one.end();
      return { figures: statuses };
    },
  },
  {
    name: "small-requests",
    about: "as many small requests as possible over 200 connections",
    async run({ attacker }, size) {
      const paths = ["/health", "/worker", "/openapi.json", "/job?limit=1", "/job?id=nothing"];
      const statuses = await flood(
        Math.round(30_000 * size),
        200,
        async (at) => (await attacker.call("GET", paths[at % paths.length] ?? "")).status,
      );
      return { figures: statuses };
    },
  },
];
