# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
