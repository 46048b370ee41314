/**
 * An agent on real routers (FRRouting, a ring of three with BGP): it finds a fault with its tools, proposes a mistaken
 * change, which a person votes for and whose canary breaks a check, so that everything returns; then the right one. Prints
 * what happened as JSON; ends with 1 if it went otherwise. Needs root.
 */
import { join } from "node:path";
import process from "node:process";
import * as v from "valibot";
import type { ChangeDetail } from "../src/api/changes/change.ts";
import { pause } from "../src/base/time/deadline.ts";
import { freePort } from "../src/testkit/port.ts";
import { startService, tempFolder } from "../src/testkit/service.ts";
import { placePersons } from "./chaos/persons.ts";
import { startFrrRing } from "./testbed/frr-peers.ts";

const dataDir = join(tempFolder("patchbay-agent-demo-"), "data");
const [cookie = ""] = await placePersons(dataDir, ["anna"]);
const ring = await startFrrRing(3);
const service = await startService({ dataDir, port: await freePort(), env: { PATCHBAY_MCP: "propose" } });
const story: { readonly what: string; readonly seen: unknown; readonly ms: number }[] = [];
const wrong: string[] = [];
let since = performance.now();

function tell(what: string, seen: unknown, isRight = true): void {
  story.push({ what, seen, ms: Math.round(performance.now() - since) });
  if (!isRight) wrong.push(what);
  since = performance.now();
}

async function must<T>(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const answer = await service.call<T>(method, path, body, headers);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

try {
  await must("PUT", "/role/approvers", {
    groups: ["approvers"],
    scope: "operate",
    rights: ["approve", "history"],
  });
  const groups = [{ name: "ring", driver: "netmiko", platform: "frr_vtysh" }];
  const devices = [];
  for (const [at, { router }] of ring.routers.entries()) {
    const { host, port, user: username, password } = router;
    await must("PUT", `/credential/frr-${at + 1}`, { username, password });
    const credential = { name: "file", ref: `frr-${at + 1}` };
    devices.push({ name: `frr-${at + 1}`, group: "ring", host, port, credential });
  }
  await must("POST", "/inventory/device", { groups, devices });
  const take = () => must("POST", "/history/take", { select: "group:ring" }, { Prefer: "wait=60" });
  await take();
  const { key } = await must<{ key: string }>("POST", "/key", {
    ...{ name: "agent", scope: "agent", rights: ["history"] },
  });
  const second = ring.routers[1];
  if (second === undefined) throw new Error("there is no second router");
  const { address, asNumber } = second.next;
  // Somebody has mistyped the AS of a neighbour.
  const faulty = [`router bgp ${second.asNumber}`, `neighbor ${address} remote-as 64999`];
  second.router.vtysh("configure terminal", ...faulty, "end");
  await take();
  tell("a fault is put on frr-2, unknown to the agent", faulty);

  const answer = v.object({
    result: v.object({
      isError: v.optional(v.boolean()),
      content: v.tupleWithRest([v.object({ text: v.string() })], v.unknown()),
    }),
  });
  let calls = 0;
  const agent = async (name: string, args: object): Promise<string> => {
    calls += 1;
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "agent-demo", version: "1" },
    };
    const response = await fetch(`${service.url}/mcp`, {
      method: "POST",
      headers: {
        ...{ "Content-Type": "application/json", "X-API-KEY": key, "MCP-Protocol-Version": "2026-07-28" },
        ...{ "Mcp-Method": "tools/call", "Mcp-Name": name },
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: calls, method: "tools/call", params: { name, arguments: args, _meta } },
      }),
    });
    const { result } = v.parse(answer, await response.json());
    if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
    return result.content[0].text;
  };

  await agent("find_devices", { select: "group:ring" });
  const shown = await agent("show", { what: "bgp", select: "group:ring", wait_seconds: 60 });
  if (!shown.includes("ipv4Unicast")) throw new Error(shown.slice(0, 1_000));
  const summaries = v.parse(
    v.pipe(
      v.string(),
      v.parseJson(),
      v.object({
        untrusted: v.object({
          results: v.array(
            v.object({
              device: v.string(),
              records: v.object({
                ipv4Unicast: v.object({
                  peers: v.record(v.string(), v.object({ remoteAs: v.number(), state: v.string() })),
                }),
              }),
            }),
          ),
        }),
      }),
    ),
    shown,
  );
  const down = summaries.untrusted.results.flatMap(({ device, records }) =>
    Object.entries(records.ipv4Unicast.peers).flatMap(([peer, { remoteAs, state }]) =>
      state === "Established" ? [] : [`${device}: ${peer}, AS ${remoteAs}, ${state}`],
    ),
  );
  tell(
    "the agent asks for the BGP neighbours of all routers",
    down,
    down.some((text) => text.includes("AS 64999")),
  );
  const difference = await agent("config_diff", { device: "frr-2" });
  const changed = /neighbor \S+ remote-as 64999/.exec(difference)?.[0];
  tell("it compares the two newest configurations of frr-2", changed, changed !== undefined);

  const checked = {
    after: [
      { command: "show bgp summary json", matches: '"failedPeers":\\s*0\\b', name: "all sessions are up" },
    ],
    settle_seconds: 15,
  };
  const sum = v.object({ rehearsed: v.number(), grades: v.record(v.string(), v.number()) });
  const proposed = async (args: object) => {
    const { devices, select, lines } = v.parse(
      v.object({ devices: v.optional(v.unknown()), select: v.optional(v.unknown()), lines: v.unknown() }),
      args,
    );
    const target = devices === undefined ? { select } : { devices };
    const { rehearsed, grades } = v.parse(
      v.pipe(v.string(), v.parseJson(), sum),
      await agent("rehearse", { ...target, lines, wait_seconds: 60 }),
    );
    tell("it rehearses its lines: nothing of them is sent", { rehearsed, grades }, rehearsed > 0);
    const text = await agent("propose_change", { checks: checked, ...args });
    const { change, state, link, rehearsal } = v.parse(
      v.pipe(
        v.string(),
        v.parseJson(),
        v.object({ change: v.string(), state: v.string(), link: v.string(), rehearsal: sum }),
      ),
      text,
    );
    tell(
      "it proposes a change, which is planned and rehearsed",
      { state, link: new URL(link).hash.length > 0, grades: rehearsal.grades },
      state === "waiting_approval" && rehearsal.rehearsed === rehearsed,
    );
    return change;
  };
  const votedAndStarted = async (id: string) => {
    const { revision, hash, origin, request } = await must<ChangeDetail>("GET", `/change/${id}`);
    const early = (await service.call("POST", `/change/${id}/start`, {})).status;
    const byAgent = (await service.call("POST", `/change/${id}/vote`, {}, { "X-API-KEY": key })).status;
    const vote = { revision, hash, verdict: "approve" };
    const voted = await fetch(`${service.url}/change/${id}/vote`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Cookie: cookie },
      body: JSON.stringify(vote),
    });
    tell(
      "without a vote it does not start, the agent cannot vote, and a person does",
      { origin, reason: request.note, early, byAgent, voted: voted.status },
      early === 409 && byAgent === 403 && voted.status === 200,
    );
    await must("POST", `/change/${id}/start`, {});
    for (;;) {
      const change = await must<ChangeDetail>("GET", `/change/${id}`);
      if (change.ended_at !== null || change.state === "needs_person") return change;
      await pause(200);
    }
  };

  const mistaken = await votedAndStarted(
    await proposed({
      ...{ name: "BGP session of frr-2", select: "group:ring", strategy: { canary: 1, waves: ["100%"] } },
      reason: `The session of frr-2 to ${address} is down: set its AS on all routers.`,
      lines: ["router bgp", `neighbor ${address} remote-as 65999`],
      // What its check finds is left to the change, which gives the device back what it had.
      checks: { ...checked, on_failure: "keep" },
    }),
  );
  const { state, reason, targets } = mistaken;
  const left = ring.routers.filter(({ router }) =>
    router.vtysh("show running-config").includes("65999"),
  ).length;
  tell(
    "its canary breaks the check: the change stops, and everything is returned",
    {
      state,
      reason,
      targets: Object.fromEntries(Object.entries(targets).filter(([, count]) => count > 0)),
      left,
    },
    left === 0 && state === "returned",
  );
  const right = await votedAndStarted(
    await proposed({
      ...{ name: "AS of the neighbour of frr-2", devices: ["frr-2"] },
      reason: `frr-2 expects AS 64999 from ${address}, since its last change; that router has AS ${asNumber}.`,
      lines: [`router bgp ${second.asNumber}`, `neighbor ${address} remote-as ${asNumber}`],
    }),
  );
  const sessions = ring.routers.map((router) => router.sessions());
  tell(
    "the right one is voted for, passes its check, and the session is up",
    { state: right.state, sessions },
    right.state === "done" && sessions.every((count) => count === 2),
  );
  const trail = await must<{ action: string; who: string }[]>("GET", "/audit?limit=500");
  const byAgent = trail.filter(({ who, action }) => who.startsWith("agent (") && action.startsWith("mcp."));
  tell(
    "each call of the agent is in the audit trail",
    { calls, entries: byAgent.length },
    byAgent.length === calls,
  );
} catch (error) {
  wrong.push(String(error));
} finally {
  await service.close();
  await ring.stop();
}
console.log(JSON.stringify({ story, wrong }, null, 2));
process.exit(wrong.length === 0 ? 0 : 1);
