/*
 * Whose field a place ends in. What a framework made is reached over tables of the framework, and a programmer knows
 * none of these: the class that has the field is news.
 *
 *      @nestjs/core/…/base-exception-filter-context.js.constants_2.STATIC_CONTEXT<WeakMap value>.instance.byId
 *      OrdersService.byId
 *      static org.spring…SpringApplication.shutdownHook.contexts[*].key.beanFactory.singletonObjects[*].val.quotes
 *      com.shop.QuoteService.quotes
 */
#ifndef HSD_REPORT_OWNER_H
#define HSD_REPORT_OWNER_H

#include "report/sentences/place.h"

/*
 * The step of a far place that leads to whose field it ends in, if the type of that says something which the place does
 * not: 2 in app._middleware_chain.get_response.history, of a shop.Timing. What Python's own libraries made, a queue of
 * asyncio, is rather the program's class's that has it. 0 = none, or it is of a class of a runtime's
 * libraries where the root is the program's own code: static com.shop.Orders.flow, com.shop.Main.main(Main.kt:15).
 */
size_t hsd_place_owner(const hsd_spot *place);

/* Where hsd_place_owner finds none, as references have no names or all that is near the end are containers: the last
 * step that leads to an object of a class of the program or of a library, or else of the runtime's own libraries. 0 =
 * none, or the root says whose it is, or as there. */
size_t hsd_place_class(const hsd_spot *place);

/* A class of the libraries that come with a runtime: a program's variable says more than it. */
bool hsd_type_is_of_runtime(hsd_text type);

#endif
