/** The part of the door that brings a library: YAML as PyYAML reads and writes it. */
export { loadYaml, loadYamlAll } from "./yaml/read.ts";
export { writeYaml } from "./yaml/write.ts";
