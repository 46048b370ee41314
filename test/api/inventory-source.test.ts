/** Inventory sources as configured: fields of one kind are refused for another. */
import * as v from "valibot";
import { expect, test } from "vitest";
import { sourceKinds } from "../inventory/formats.ts";

const url = "https://ipam.example";
const problems = (source: object) => {
  const read = v.safeParse(sourceKinds.written(), source);
  return (read.issues ?? []).map((issue) => `${v.getDotPath(issue)} ${issue.message}`);
};

test("a NetBox source reads devices or virtual machines only", () => {
  for (const object of ["device", "virtual-machine", undefined])
    expect(problems({ kind: "netbox", url, object })).toEqual([]);
  expect(problems({ kind: "netbox", url, object: "rack" })).toEqual([
    "object must be one of device, virtual-machine",
  ]);
});

test("fields of one kind of source are rejected for another", () => {
  expect(problems({ kind: "url", url, format: "csv", object: "device", filter: "a=b", path: "p" })).toEqual([
    "filter is for netbox only",
    "object is for netbox only",
    "path is for git only",
  ]);
});
