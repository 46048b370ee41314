/** What fields are called in forms. */
import { expect, test } from "vitest";
import { newKeyRequest } from "../../src/api/access/key.ts";
import { newOwnKey } from "../../src/api/access/own-key.ts";
import { deviceFields, groupFields } from "../../src/api/inventory/inventory.ts";
import { commonFields } from "../../src/api/inventory/inventory-source.ts";
import { labelOf } from "../../src/console/text/labels.ts";

test.each([
  ["expires_days", "expires (days)"],
  ["max_removals", "removals at most"],
  ["read_timeout", "read timeout"],
  ["settle_seconds", "settle (seconds)"],
  ["host", "host"],
  ["proxy_pkey", "proxy private key"],
  ["ssh_config_file", "SSH config file"],
  // Of an author of a driver: what they mean elsewhere is no word for them.
  ["limit", "limit"],
  ["map", "map"],
  ["ref", "ref"],
])("%s is called %s", (name, label) => {
  expect(labelOf(name)).toBe(label);
});

test("no form shows the name of a field as the API writes it", () => {
  const forms = [newKeyRequest.entries, newOwnKey.entries, deviceFields, groupFields, commonFields];
  const labels = forms.flatMap((entries) => Object.keys(entries).map(labelOf));
  expect(labels.filter((label) => label.includes("_"))).toEqual([]);
});
