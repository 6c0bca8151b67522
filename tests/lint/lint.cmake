message(STATUS "lint")
