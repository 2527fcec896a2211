/*
 * The sections of a page, in their order. A section is a file and a row here.
 */
import { showAnswer } from "./answer.ts";
import { hasAges, showAges } from "./cohorts.ts";
import type { Extra } from "./detail.ts";
import { showSizes } from "./histogram.ts";
import { showHolders } from "./holders.ts";
import { hasIcicle, showIcicle } from "../kit/icicle.ts";
import { hasLost, hasUncollected, lostLeads, showLost, showUncollected } from "./lost.ts";
import { showMade } from "./made.ts";
import type { Model } from "../kit/model.ts";
import type { Show } from "../kit/page.ts";
import { showRoots } from "./roots.ts";
import { hasRules, showRules } from "./rules.ts";
import { showSeriesHolders, showSeriesLost, showSeriesRoots, showSeriesTypes } from "./series_table.ts";
import { hasSites, showSites } from "./sites.ts";
import { hasMap, showMap } from "../kit/treemap.ts";
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
  { id: "lost", title: "Lost", isFor: lostLeads, show: showLost },
  { id: "sites", title: "Sites", isFor: (model) => hasSites(model) && model.whyNoHolders !== null, show: showSites },
  { id: "picture", title: "Picture", isFor: hasIcicle, show: showIcicle },
  { id: "holders", title: "Holders", isFor: (model) => !isSeries(model) && model.total !== null && model.whyNoHolders !== "", show: showHolders },
  { id: "holders", title: "Holders", isFor: isSeries, show: showSeriesHolders },
  { id: "lost", title: "Lost", isFor: (model) => hasLost(model) && !lostLeads(model), show: showLost },
  { id: "lost", title: "Lost", isFor: (model) => model.series.lost.length > 0, show: showSeriesLost },
  { id: "sites", title: "Sites", isFor: (model) => hasSites(model) && model.whyNoHolders === null, show: showSites },
  { id: "types", title: "Types", isFor: (model) => model.types.length > 0, show: showTypes },
  { id: "types", title: "Types", isFor: (model) => model.series.types.length > 0, show: showSeriesTypes },
  { id: "roots", title: "Roots", isFor: (model) => model.roots.length > 0, show: showRoots },
  { id: "roots", title: "Roots", isFor: isSeries, show: showSeriesRoots },
  { id: "uncollected", title: "Not collected", isFor: hasUncollected, show: showUncollected },
  { id: "map", title: "Map", isFor: hasMap, show: showMap },
  { id: "trends", title: "Trends", isFor: hasTrends, show: showTrends },
  { id: "ages", title: "Ages", isFor: hasAges, show: showAges },
  { id: "made", title: "How it was made", isFor: () => true, show: showMade },
];

/** What is added to the panel about one type, below its numbers. */
export const typeExtras: readonly Extra[] = [showSizes];
