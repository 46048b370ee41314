/** Hosts in a request: each name is looked up once, and refused if it is not resolved in time. */
import { expect, test } from "vitest";
import { reachCheck, requireReach, urlHosts } from "../../../src/jobs/request/device/request-reach.ts";
import { admin } from "../../support/requests.ts";

const limited = { ...admin, hosts: ["10.0.0.0/8"] };
const named = (...hosts: string[]) => ({
  hosts: hosts.map((host) => ({ path: "connection_args.host", host })),
  urls: [],
  credential: undefined,
});

test("a host name shared by devices of a bulk is resolved once", async () => {
  const lookups: string[] = [];
  const resolve = async (name: string) => {
    lookups.push(name);
    return name === "in.corp" ? ["10.0.0.1"] : ["192.0.2.1"];
  };
  const refused = reachCheck({ urlAllow: [], resolve }, limited);
  for (let device = 0; device < 5; device++)
    expect((await refused(named("in.corp", "out.corp"))).hosts.map(({ host }) => host)).toEqual(["out.corp"]);
  expect(lookups).toEqual(["in.corp", "out.corp"]);
});

test("a name that does not resolve is out of reach; an unrestricted key resolves nothing", async () => {
  const resolve = () => Promise.reject(new Error("ENOTFOUND"));
  await expect(requireReach({ urlAllow: [], resolve }, limited, named("gone.corp"))).rejects.toMatchObject({
    kind: "Forbidden",
    message: expect.stringContaining("gone.corp"),
  });
  await requireReach({ urlAllow: [], resolve }, admin, named("gone.corp"));
});

test("only a template that is a URL names a host", () => {
  expect(urlHosts("t", "HTTPS://[2001:db8::1]:8443/x")).toEqual([{ path: "t", host: "2001:db8::1" }]);
  expect(urlHosts("t", "ftp://u:p@files.example/x")).toEqual([{ path: "t", host: "files.example" }]);
  for (const text of [undefined, "", "file://x.j2", "{{ x }}", "http://"])
    expect(urlHosts("t", text)).toEqual([]);
});
