/*
 * The sections of a page, in their order. A section is a file and a row here.
 */
import { showAnswer } from "./answer.ts";
import { hasAges, showAges } from "./cohorts.ts";
import type { Extra } from "./detail.ts";
import { showSizes } from "./histogram.ts";
import { showHolders } from "./holders.ts";
import { hasIcicle, showIcicle } from "./icicle.ts";
import { showMade } from "./made.ts";
import type { Model } from "./model.ts";
import type { Show } from "./page.ts";
import { showRoots } from "./roots.ts";
import { hasRules, showRules } from "./rules.ts";
import { showSeriesHolders, showSeriesRoots, showSeriesTypes } from "./series_table.ts";
import { showSites } from "./sites.ts";
import { hasMap, showMap } from "./treemap.ts";
import { hasTrends, showTrends } from "./trends.ts";
import { showTypes } from "./types.ts";
import { showWarnings, warningsOf } from "./warnings.ts";

export interface Section {
  /** Of the <section>; it is made if the static page has none. */
  readonly id: string;
  /** In the bar above; "" = it is no place to jump to. */
  readonly title: string;
  /** Sections that have nothing to say about a model are not there. */
  readonly isFor: (model: Model) => boolean;
  readonly show: Show;
}

function isSeries(model: Model): boolean {
  return model.series.count > 0;
}

export const sections: readonly Section[] = [
  { id: "answer", title: "", isFor: () => true, show: showAnswer },
  { id: "warnings", title: "", isFor: (model) => warningsOf(model).length > 0, show: showWarnings },
  { id: "rules", title: "Rules", isFor: hasRules, show: showRules },
  { id: "sites", title: "Sites", isFor: (model) => model.sites.length > 0, show: showSites },
  { id: "picture", title: "Picture", isFor: hasIcicle, show: showIcicle },
  { id: "holders", title: "Holders", isFor: (model) => !isSeries(model) && model.total !== null && model.whyNoHolders !== "", show: showHolders },
  { id: "holders", title: "Holders", isFor: isSeries, show: showSeriesHolders },
  { id: "types", title: "Types", isFor: (model) => model.types.length > 0, show: showTypes },
  { id: "types", title: "Types", isFor: (model) => model.series.types.length > 0, show: showSeriesTypes },
  { id: "roots", title: "Roots", isFor: (model) => model.roots.length > 0, show: showRoots },
  { id: "roots", title: "Roots", isFor: isSeries, show: showSeriesRoots },
  { id: "map", title: "Map", isFor: hasMap, show: showMap },
  { id: "trends", title: "Trends", isFor: hasTrends, show: showTrends },
  { id: "ages", title: "Ages", isFor: hasAges, show: showAges },
  { id: "made", title: "How it was made", isFor: () => true, show: showMade },
];

/** What is added to the panel about one type, below its numbers. */
export const typeExtras: readonly Extra[] = [showSizes];
