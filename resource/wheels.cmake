# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

# What generating messages with ROS 2's wheels from PyPI needs beside them.

# Packages from wheels name include folders of the machine they were built on, which CMake refuses.
function(keep_existing_include_folders)
  get_directory_property(imported_targets IMPORTED_TARGETS)
  foreach(target IN LISTS imported_targets)
    if(target MATCHES "__rosidl_generator_py$")
      get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
      set(existing_folders "")
      foreach(folder IN LISTS folders)
        if(EXISTS "${folder}")
          list(APPEND existing_folders "${folder}")
        endif()
      endforeach()
      set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${existing_folders}")
    endif()
  endforeach()
endfunction()

# The generator exports the include folder of this machine's NumPy (an error when it lies in this folder, as in
# .venv): keep what is relative to the installation.
function(keep_relative_include_folders target)
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  list(FILTER folders INCLUDE REGEX "^\\$<")
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${folders}")
endfunction()
