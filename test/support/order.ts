/** The order in which test files start: those that take longest first, so that none of them runs alone at the end. */
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { longest } from "./longest.ts";

/**
 * A worker goes on with the next file if that is of the same project, and ends otherwise. Small files come last, so that
 * the workers end together.
 */
const projects = ["waiting", "alone", "mocking", "sharing"];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const at = longest.indexOf(relative(".", moduleId));
      return projects.indexOf(project.name) * (longest.length + 1) + (at < 0 ? longest.length : at);
    };
    // Stable: within a rank, the order of Vitest stays.
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
