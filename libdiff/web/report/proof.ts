/*
 * What a partial capture proves: that something grew, and never that something went. As in the text report (growth.c, text.c).
 */
import type { Model } from "../kit/model.ts";

/** Whether growth by that much is proven. What is not prints as "?". */
export type Proof = (growth: number) => boolean;

export function proofOf(model: Model): Proof {
  if (!model.total?.isPartial) return () => true;
  const before = model.captures.find((capture) => capture.side === "before");
  const after = model.captures.find((capture) => capture.side === "after");
  const provesGrowth =
    before !== undefined &&
    after !== undefined &&
    before.isComplete &&
    before.hasRoots === after.hasRoots &&
    before.hasReferences === after.hasReferences;
  return (growth) => provesGrowth && growth > 0;
}
