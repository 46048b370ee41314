/** PostgreSQL fulfils the store contract. */
import { describe } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { describeContract } from "../contract/suite.ts";
import { usePostgres } from "./place.ts";

describe.skipIf(needs("postgres"))("PostgreSQL", () => {
  describeContract("direct", usePostgres());
});
