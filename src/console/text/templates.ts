/** Words of stored templates. */
export const templateWords = {
  stored: "Stored templates",
  none: "No stored templates yet.",
  add: "New template",
  name: "Name",
  engine: "Engine",
  title: "Title",
  template: "Template",
  tests: "Tests (JSON)",
  test: "Run the tests",
  results: "Results of the tests",
  noTests: "It has no tests.",
  sure: "Remove it with all versions? Jobs keep the text that they have.",
} as const;
