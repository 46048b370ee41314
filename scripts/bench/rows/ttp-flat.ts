/** The row `ttp-flat`. */
import { ttpRow } from "./shared-ttp.ts";

export default ttpRow("ttp-flat", "records of four lines", { cold: 107, kept: 93 });
