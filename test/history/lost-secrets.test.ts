/** Versions that another program had masked before they were imported. */
import { expect, test } from "vitest";
import { lackOf } from "../../src/history/restoring/lost-secrets.ts";
import type { Store, StoredConfigVersion } from "../../src/store/port.ts";

const text = "snmp-server community <secret hidden> RO\nusername a secret <secret 7c41d0>\nhostname r1\n";
const at = text.indexOf("<secret 7c41d0>");

function lacking(source: "import" | "manual", lines: readonly string[], secrets: string | null) {
  const history = { texts: async () => [{ id: "t", secrets }] };
  const version = { source, textId: "t" };
  return lackOf({ history } as unknown as Store, version as StoredConfigVersion, text, lines);
}
const known = JSON.stringify([[at, "<secret 7c41d0>".length, "canary"]]);
const [community = "", user = "", host = ""] = text.split("\n");

test("lines with a mark that stands for nothing known are named, others are not", async () => {
  expect(await lacking("import", [community, user, host], known)).toMatch(
    /without the secrets of 1 of these lines.*"snmp-server community <secret hidden> RO"$/,
  );
  expect(await lacking("import", [user, host], known)).toBeUndefined();
  // Marks of this service, imported from its own Git repository.
  expect(await lacking("import", [user], null)).toContain('"username a secret <secret 7c41d0>"');
  expect(await lacking("manual", [community], known)).toBeUndefined();
});
