# hsc_old_names(OUT): options for the linker by which an agent asks for the names of old_names.c as programs built with an old glibc do, so that
# it is loaded into programs with glibc 2.28 and later, whichever it was built with. Empty where the machine is not known.
function(hsc_old_names out)
  set(${out} "" PARENT_SCOPE)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    set(first GLIBC_2.2.5)
    set(second GLIBC_2.3.3) # pthread_condattr_setclock and dladdr1 came later
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(first GLIBC_2.17)
  else()
    return()
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/old")
  file(MAKE_DIRECTORY "${folder}")
  if(second)
    file(WRITE "${folder}/names.map" "${first} { global: dl[!a]*; dladdr; pthread_attr_*; pthread_[!c]*; pthread_create; local: *; };\n${second} { global: pthread_condattr_setclock; dladdr1; } ${first};\n")
  else()
    file(WRITE "${folder}/names.map" "${first} { global: *; };\n")
  endif()
  foreach(library IN ITEMS "libdl.so.2 -DOLD_DL" "libpthread.so.0 -DOLD_PTHREAD")
    string(REPLACE " " ";" library "${library}")
    list(GET library 0 name)
    list(GET library 1 which)
    add_custom_command(OUTPUT "${folder}/${name}"
      COMMAND ${CMAKE_C_COMPILER} -shared -nostdlib -fPIC -fno-builtin ${which} "-Wl,-soname,${name}"
              "-Wl,--version-script,${folder}/names.map" -o "${folder}/${name}" "${CMAKE_CURRENT_SOURCE_DIR}/old_names.c"
      DEPENDS old_names.c "${folder}/names.map" COMMENT "Names of an old ${name}" VERBATIM)
    list(APPEND made "${folder}/${name}")
  endforeach()
  add_custom_target(hsc_old_names DEPENDS ${made})
  set_property(TARGET hsc_agent APPEND PROPERTY INTERFACE_LINK_DEPENDS ${made})
  list(JOIN made "," made)
  set(${out} "-Wl,--push-state,--as-needed,${made},--pop-state" PARENT_SCOPE) # as words of the linker: CMake then writes no folder into the agent
endfunction()
