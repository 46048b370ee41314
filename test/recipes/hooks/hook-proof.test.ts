/** Proofs of deliveries, computed by what each sender documents. */
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { signature } from "../../../plugins/webhooks/basic/webhook.ts";
import { type HookProvider, hookLimits } from "../../../src/api/recipes/hook.ts";
import { identityOf, proofFault } from "../../../src/recipes/hooks/hook-proof.ts";

const secret = "It's a Secret to Everybody";
const text = "Hello, World!";
const now = 1_800_000_000_000;
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`;

const good: Record<HookProvider, readonly Record<string, string>[]> = {
  // The values of GitHub's own example.
  github: [
    {
      "X-Hub-Signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    },
  ],
  gitlab: [{ "X-Gitlab-Token": secret }],
  netbox: [{ "X-Hook-Signature": createHmac("sha512", secret).update(text).digest("hex") }],
  alertmanager: [
    { Authorization: `Bearer ${secret.replaceAll(" ", "_")}` },
    { Authorization: basic(`any:${secret}`) },
  ],
  patchbay: [{ "X-Patchbay-Signature": signature(secret, text, now) }],
};
const secretOf = (headers: Record<string, string>) =>
  headers.Authorization?.startsWith("Bearer") ? secret.replaceAll(" ", "_") : secret;
const all = Object.entries(good).flatMap(([provider, sets]) =>
  sets.map((headers) => [provider as HookProvider, headers] as const),
);

const faultOf = (
  provider: HookProvider,
  headers: Record<string, string>,
  body = text,
  at = now,
  known?: string,
) => proofFault(provider, known ?? secretOf(headers), { headers: new Headers(headers), text: body }, at);

test.each(all)("%s: what the sender computes is taken, and nothing else", (provider, headers) => {
  expect(faultOf(provider, headers)).toBeUndefined();
  expect(faultOf(provider, headers, text, now, "another")).toContain("is not right");
  expect(faultOf(provider, {}, text)).toContain("is missing");
  const [[name, value] = ["", ""]] = Object.entries(headers);
  for (const wrong of [
    "",
    value.slice(0, -6),
    `${value.slice(0, -6)}AAAAAA`,
    `${value}x`,
    "x".repeat(10_000),
  ])
    expect(faultOf(provider, { [name]: wrong }, text, now, secretOf(headers))).toContain("is not right");
  const altered = faultOf(provider, headers, `${text} `);
  // These two send a secret, and sign nothing.
  if (provider === "gitlab" || provider === "alertmanager") expect(altered).toBeUndefined();
  else expect(altered).toContain("is not right");
});

test("a signature with a time is taken for five minutes", () => {
  const headers = { "X-Patchbay-Signature": signature(secret, text, now) };
  const { skewMs } = hookLimits;
  expect(faultOf("patchbay", headers, text, now + skewMs)).toBeUndefined();
  expect(faultOf("patchbay", headers, text, now + skewMs + 1)).toContain("more than five minutes");
  expect(faultOf("patchbay", headers, text, now - skewMs - 1)).toContain("more than five minutes");
  const later = headers["X-Patchbay-Signature"].replace(/^t=\d+/, `t=${now / 1000 + 100}`);
  expect(faultOf("patchbay", { "X-Patchbay-Signature": later }, text)).toContain("is not right");
});

test("a delivery is known by what its proof covers, and by the id of its sender", () => {
  const of = (provider: HookProvider, headers: Record<string, string>, body: unknown = {}, sent = "{}") =>
    identityOf(provider, { headers: new Headers(headers), text: sent }, body);
  const first = of("github", { "X-GitHub-Delivery": "1" });
  const copied = of("github", { "X-GitHub-Delivery": "2" });
  expect([first.delivery, copied.delivery, copied.content]).toEqual(["1", "2", first.content]);
  expect(of("gitlab", { "Idempotency-Key": "a", "X-Gitlab-Event-UUID": "b" }).delivery).toBe("a");
  expect(of("gitlab", { "X-Gitlab-Event-UUID": "b" }).delivery).toBe("b");
  expect(of("github", { "X-GitHub-Delivery": "x".repeat(201) }).delivery).toBe(first.content);
  const netbox = of("netbox", { "X-GitHub-Delivery": "1" });
  expect(netbox.delivery).toBe(netbox.content);
  // A message of Patchbay is sent again with another time.
  const message = { id: "m", event: "job.failed" };
  const sends = [1, 2].map((at) => of("patchbay", { "X-Patchbay-Signature": `t=${at},v1=0` }, message));
  expect(sends.map(({ delivery }) => delivery)).toEqual(["m job.failed", "m job.failed"]);
  expect(sends[0]?.content).not.toBe(sends[1]?.content);
});
